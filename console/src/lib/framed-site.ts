/** The start page may be a site that the operator names by its address. */
export const isFramedSite = (content: string): boolean => /^https:\/\/\S+$/.test(content.trim())
