import { addressPart, splitBase } from '../addresses/upstream-request.ts'
import { RELAY_PATHS, type RelayEndpoint } from '../provider.ts'
import { azureOpenai } from '../providers/azure-openai/descriptor.ts'
import type { ProviderCall, TaskCall } from './provider-codec.ts'

/** A date, with or without `-preview`; or the undated protocol, whose body names the deployment. */
export type AzureVersion =
  | { readonly style: 'dated'; readonly name: string }
  | { readonly style: 'v1'; readonly isPreview: boolean }

const taskOf = (endpoint: RelayEndpoint) => RELAY_PATHS[endpoint].replace(/^\/v1\//, '')
const DEFAULT_VERSION = azureOpenai.fields[1].default
const CLOUDFLARE_GATEWAY = 'https://gateway.ai.cloudflare.com/'
/** Path after the resource in a URL copied from the portal. */
const COPIED_PATH = /(?<=[^/])\/openai(?:\/(?:v1|deployments)(?:\/.*)?)?$/

/** `v1` and `latest` mean the undated protocol; `preview` adds its unstable features. */
export function azureVersion(other: string): AzureVersion {
  const name = other.trim() || DEFAULT_VERSION
  if (name === 'v1' || name === 'latest' || name === 'preview') {
    return { style: 'v1', isPreview: name === 'preview' }
  }
  return { style: 'dated', name }
}

/**
 * A deployment has its model's name without dots, which the portal did not allow in names. The
 * undated protocol keeps the dots. Without a base URL the result is no URL, and a connection fails.
 */
export function azureUrl(
  { endpoint, model, channel }: ProviderCall | TaskCall,
  version: AzureVersion,
): string {
  const { resource, parameters, isGateway } = readBase(channel.baseUrl, version)
  const task = taskOf(endpoint)
  if (version.style === 'v1') return withQuery(`${resource}/openai/v1/${task}`, parameters)
  const deployment = deploymentOf(model)
  const path = isGateway ? deployment : `openai/deployments/${deployment}`
  return withQuery(`${resource}/${path}/${task}`, parameters)
}

/** Only the undated protocol is used, whose body names the deployment. */
export function azureResponsesUrl(baseUrl: string, version: AzureVersion): string {
  const isPreview = version.style === 'v1' && version.isPreview
  const { resource, parameters } = readBase(baseUrl, { style: 'v1', isPreview })
  return withQuery(`${resource}/openai/v1/responses`, parameters)
}

/** Realtime names the deployment in the query. `model` is null for a transcription session. */
export function azureRealtimeUrl(
  model: string | null,
  baseUrl: string,
  version: AzureVersion,
): string {
  const { resource, parameters } = readBase(baseUrl, version)
  const isV1 = version.style === 'v1'
  if (model === null) parameters.set('intent', 'transcription')
  else if (isV1) parameters.set('model', model)
  else parameters.set('deployment', model.replaceAll('.', ''))
  if (isV1) return withQuery(`${resource}/openai/v1/realtime`, parameters)
  return withQuery(`${resource}/openai/realtime`, parameters)
}

const deploymentOf = (model: string) => addressPart(model.replaceAll('.', ''))

function readBase(baseUrl: string, version: AzureVersion) {
  const { address: base, query } = splitBase(baseUrl)
  const parameters = new URLSearchParams(query)
  parameters.delete('api-version')
  if (version.style === 'dated') parameters.set('api-version', version.name)
  else if (version.isPreview) parameters.set('api-version', 'preview')
  const isGateway = `${base}/`.startsWith(CLOUDFLARE_GATEWAY)
  const resource = isGateway ? base : base.replace(COPIED_PATH, '')
  return { resource, parameters, isGateway }
}

function withQuery(address: string, parameters: URLSearchParams): string {
  const query = parameters.toString()
  return query === '' ? address : `${address}?${query}`
}
