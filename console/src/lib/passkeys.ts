/** False in old browsers and on origins without HTTPS other than localhost. */
export const arePasskeysSupported = () => 'PublicKeyCredential' in window
