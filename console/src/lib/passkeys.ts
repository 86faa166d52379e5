/** False in old browsers, and at addresses without HTTPS other than localhost. */
export const arePasskeysSupported = () => 'PublicKeyCredential' in window
