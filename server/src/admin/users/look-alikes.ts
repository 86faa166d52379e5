/*
 * Detects user names that could pass for another name. The rule is Unicode's "highly restrictive"
 * level (UTS #39, 5.2): letters of one script, or Latin with Han, Kana, Bopomofo or Hangul.
 */

const WITH_LATIN =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]*$/u
/** Scripts with letters that resemble Latin letters or each other. */
const ALONE = [
  /^[\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Greek}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Armenian}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Cherokee}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Coptic}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Lisu}\p{Script=Common}\p{Script=Inherited}]*$/u,
]
const IN_ANY_OF_THEM =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Whether a name mixes scripts whose letters are easily confused. */
export const mixesScripts = (name: string): boolean =>
  !WITH_LATIN.test(name) && !ALONE.some((script) => script.test(name)) && IN_ANY_OF_THEM.test(name)

/** Letters and the Latin letter they resemble, from Unicode's confusables.txt (UTS #39, 4). */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'аАαΑɑ',
  b: 'ВΒЬ',
  c: 'сСϲ',
  d: 'ԁ',
  e: 'еЕΕ',
  g: 'ɡ',
  h: 'һНΗ',
  i: 'іІιΙı',
  j: 'јЈ',
  k: 'кКκΚ',
  l: 'ӏ',
  m: 'МΜ',
  n: 'Ν',
  o: 'оОοΟσᴏ',
  p: 'рРρΡ',
  q: 'ԛ',
  s: 'ѕЅ',
  t: 'ТΤ',
  u: 'υ',
  v: 'ѵν',
  w: 'ԝ',
  x: 'хХχΧ',
  y: 'уУΥγ',
  z: 'Ζ',
}

const LATIN = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([latin, letters]) =>
    [...letters].map((letter) => [letter, latin] as const),
  ),
)

/** The Latin name a reader could take this one for; null if the name has no look-alike letters. */
export function looksLike(name: string): string | null {
  const latin = [...name].map((letter) => LATIN.get(letter) ?? letter).join('')
  return latin === name ? null : latin
}
