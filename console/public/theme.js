// Runs before the first frame is drawn, which then has the colors of the chosen theme.
{
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches
  let theme = null
  try {
    theme = localStorage.getItem('theme')
  } catch {
    // Without storage the system's theme applies.
  }
  if (theme !== 'light' && theme !== 'dark') theme = isDark ? 'dark' : 'light'
  document.documentElement.dataset.mantineColorScheme = theme
}
