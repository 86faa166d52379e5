import { WEATHER } from '../client.ts'

/** A member of a request, as a client writes it. */
export type Probe = {
  name: string
  /** What is put into the request. */
  with: object
  /** What stands there with and without it. */
  beside?: object
}

export type DialectProbes = {
  title: string
  path: string
  /** The least that may be asked. */
  least: object
  probes: readonly Probe[]
}

export const OTHER_TOOL: typeof WEATHER = {
  ...WEATHER,
  name: 'time',
  description: 'Tells the time of a city.',
}

/** As little of a document and of a sound as is one. */
export const PDF = 'JVBERi0xLjQKJSVFT0YK'
export const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
