import { shutdowns } from '@tollgate/contract/prices'
import { readMapping } from './model-mapping.ts'

/**
 * The models of a channel that their vendor has shut down, in the order of the channel's list. The
 * name that the provider receives decides. `today` is a UTC day.
 */
export function shutModels(
  { models, model_mapping }: { models: string; model_mapping: string },
  today: string,
): { model: string; day: string }[] {
  const sent = readMapping(model_mapping)
  return models.split(',').flatMap((model) => {
    const day = shutdowns.get(sent.get(model) ?? model)
    return day === undefined || day > today ? [] : [{ model, day }]
  })
}
