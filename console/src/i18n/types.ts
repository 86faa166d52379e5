/** All texts by feature; each feature extends this interface next to its messages. */
// oxlint-disable-next-line typescript/no-empty-interface -- filled by declaration merging
export interface MessageTree {}

type Texts = { [key: string]: string | Texts }

/** Same keys as the source language, with translated texts. */
export type Translated<Source> = {
  [Key in keyof Source]: Source[Key] extends string ? string : Translated<Source[Key]>
}

export type Messages<Source = unknown> = { en: Source; zh: Translated<Source> }

/** Every key; a text with two forms for numbers has its key without `_one` and `_other`. */
export type TextKey = LeafKey<MessageTree>

type LeafKey<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string
    ? Key extends `${infer Base}_${'one' | 'other'}`
      ? Base
      : Key
    : `${Key}.${LeafKey<Tree[Key]>}`
}[keyof Tree & string]

/** Keys of texts without placeholders, safe to pass on as a key alone. */
export type MessageKey = PlainKey<MessageTree>

type PlainKey<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string
    ? Tree[Key] extends `${string}{{${string}`
      ? never
      : Key extends `${string}_${'one' | 'other'}`
        ? never
        : Key
    : `${Key}.${PlainKey<Tree[Key]>}`
}[keyof Tree & string]

/** English is the source language; a missing Chinese text is a type error. */
export function messages<const Source extends Texts>(texts: {
  en: Source
  zh: NoInfer<Translated<Source>>
}): Messages<Source> {
  return texts
}
