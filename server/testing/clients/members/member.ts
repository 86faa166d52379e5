import { type Dialect, WEATHER } from '../client.ts'

export type Probe = {
  name: string
  with: object
  /** Members that both requests contain, with and without the member under test. */
  common?: object
}

export type DialectProbes = {
  title: string
  dialect: Dialect
  path: string
  /** The smallest valid request. */
  minimal: object
  probes: readonly Probe[]
}

export const OTHER_TOOL: typeof WEATHER = {
  ...WEATHER,
  name: 'time',
  description: 'Tells the time of a city.',
}

/** The smallest valid PDF and WAV. */
export const PDF = 'JVBERi0xLjQKJSVFT0YK'
export const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='
