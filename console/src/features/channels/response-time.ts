/** Upper limits in milliseconds for green, olive and yellow; slower responses are red. */
const STEPS = [
  { most: 1000, color: 'good' },
  { most: 3000, color: 'olive' },
  { most: 5000, color: 'slow' },
] as const

export function responseColor(milliseconds: number): 'good' | 'olive' | 'slow' | 'bad' | 'off' {
  if (milliseconds === 0) return 'off'
  return STEPS.find(({ most }) => milliseconds <= most)?.color ?? 'bad'
}
