const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For texts and quoted attributes of HTML. */
export const escapeHtml = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
