/** Lets a third-party site work in its frame but not navigate the console away. */
export const SITE_SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals'
