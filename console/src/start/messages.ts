export const startMessages = {
  en: { failed: 'The console did not load. ', reload: 'Reload' },
  zh: { failed: '控制台未能加载。 ', reload: '重新加载' },
}
