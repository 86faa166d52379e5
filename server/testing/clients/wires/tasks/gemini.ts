import { z } from 'zod'
import { bodyOf, pathOf } from '../../asked.ts'
import { PNG } from '../../client.ts'
import { json, SHAPE, SIZE, type TaskWire } from '../../tasks/asked.ts'

/* Imagen: images have a shape and no size, and come as data. */

const PATH = '/v1beta/models/imagen-4.0-generate-001:predict'

const drawRequest = z.strictObject({
  instances: z.tuple([z.strictObject({ prompt: z.string().min(1) })]),
  parameters: z.strictObject({
    sampleCount: z.int().min(1).max(4),
    aspectRatio: z.enum(['1:1', '4:3', '3:4', '16:9', '9:16']).optional(),
  }),
})

export const geminiTasks: TaskWire = {
  serve: (call) => {
    if (pathOf(call) !== PATH) return null
    const { instances, parameters } = drawRequest.parse(bodyOf(call))
    const [{ prompt }] = instances
    const size = parameters.aspectRatio === SHAPE ? SIZE : null
    return {
      asked: { task: 'draw', prompt, size, count: parameters.sampleCount },
      answer: json({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: PNG }] }),
    }
  },
}
