/** What shows a question of `confirm()`, a chunk of its own. */
export const loadQuestion = () =>
  import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog)
