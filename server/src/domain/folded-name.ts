/** Equal for names that differ only by case or width, which people take for the same. */
export const foldedName = (name: string) => name.normalize('NFKC').toLowerCase().normalize('NFKC')
