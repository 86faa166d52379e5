/** What shows a question of `confirm()`, a chunk of its own. */
export const loadQuestion = async () => (await import('./confirm-dialog.tsx')).ConfirmDialog
