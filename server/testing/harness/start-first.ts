import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts files whose path contains one of these texts before the others of their project. In a
 * fresh clone Vitest knows no durations and takes small files last, so a small file that walks
 * through everything would run alone at the end.
 */
export function startFirst(texts: readonly string[]): typeof BaseSequencer {
  const isLong = ({ moduleId }: TestSpecification) => texts.some((text) => moduleId.includes(text))

  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]) {
      const sorted = await super.sort(files)
      const projects = new Set(sorted.map(({ project }) => project.name))
      return [...projects].flatMap((name) => {
        const own = sorted.filter(({ project }) => project.name === name)
        return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
      })
    }
  }
}
