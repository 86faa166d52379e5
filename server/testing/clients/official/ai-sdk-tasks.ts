import { createOpenAI } from '@ai-sdk/openai'
import { generateImage, generateSpeech, transcribe } from 'ai'
import { PNG } from '../client.ts'
import { CHANGE, PROMPT, SIZE, SPEECH, SPOKEN } from '../tasks/received-task.ts'
import { MODELS, type TaskClient, type TaskPlace } from '../tasks/task-client.ts'
import { failureOfAiSdk } from './ai-sdk.ts'

const openai = ({ url, key }: TaskPlace) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key })

const pictures = (images: readonly { base64: string }[]) =>
  images.map(({ base64: data }) => ({ data }))

/** This client reads images only as data, and requests speech as mp3 by default. */
export const aiSdkTasks: TaskClient = {
  name: '`@ai-sdk/openai`, images and audio',
  draw: {
    data: async (place) => {
      const model = openai(place).image(MODELS.draw)
      const { images } = await generateImage({ model, prompt: PROMPT, size: SIZE, maxRetries: 0 })
      return pictures(images)
    },
  },
  redraw: async (place) => {
    const model = openai(place).image(MODELS.drawByToken)
    const prompt = { text: CHANGE, images: [Buffer.from(PNG, 'base64')] }
    return pictures((await generateImage({ model, prompt, maxRetries: 0 })).images)
  },
  redrawsData: true,
  speak: async (place, voice, format) => {
    const model = openai(place).speech(MODELS.speak)
    const { audio } = await generateSpeech({
      model,
      text: SPOKEN,
      voice,
      ...(format && { outputFormat: format }),
      maxRetries: 0,
    })
    return Buffer.from(audio.uint8Array)
  },
  hear: async (place) => {
    const model = openai(place).transcription(MODELS.hearByToken)
    const providerOptions = { openai: { language: 'en' } }
    return (await transcribe({ model, audio: SPEECH, providerOptions, maxRetries: 0 })).text
  },
  hearsByToken: true,
  failureOf: failureOfAiSdk,
}
