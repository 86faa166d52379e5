/** Equal for names that differ only by case or width. */
export const foldedName = (name: string) => name.normalize('NFKC').toLowerCase().normalize('NFKC')
