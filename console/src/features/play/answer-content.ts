type Answered = { text: string; reasoning: string; images: readonly string[] }

/** Open models write their reasoning before the answer. It may still lack its end. */
const THINKING = /^\s*<think>([^]*?)(?:<\/think>\s*|$)/

/** Image models of some providers write their images into the text. They may lack their end. */
const IMAGE = /!\[[^\]]*\]\((data:image\/(?:png|jpeg|webp|gif);base64,[\w+/=]*)(?:\)|$)/g

/** The parts of an answer, wherever the model has written them. */
export function contentOf({ text, reasoning, images }: Answered): Answered {
  const thinking = THINKING.exec(text)
  const rest = thinking ? text.slice(thinking[0].length) : text
  return {
    reasoning: reasoning + (thinking?.[1] ?? '').trim(),
    text: rest.replace(IMAGE, ''),
    images: [...images, ...[...rest.matchAll(IMAGE)].flatMap(([, url]) => url ?? [])],
  }
}
