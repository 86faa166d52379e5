/** Enough for the site of somebody else to work in its frame, but not to lead the console elsewhere. */
export const SITE_SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals'
