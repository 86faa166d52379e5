import { expect, test } from 'vitest'
import { classifyUpstreamError } from './upstream-error.ts'

const NOTHING = { key: '', baseUrl: '', proxy: null }

/** Spark reports codes in the header of its messages, after the connection was opened. */
const spark = (code: number) => ({ header: { code, message: 'no', sid: 'cht000a@dx1' } })

const openai = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
})
const SCOPES =
  'You have insufficient permissions for this operation. Missing scopes: api.model.images.request. ' +
  "Check that you have the correct role in your organization, and if you're using a restricted API key, " +
  'that it has the necessary scopes.'

test.each<[string, number, object, string, boolean]>([
  ['OpenAI restricted key', 401, openai(SCOPES), 'permission', false],
  ['OpenAI restricted key', 403, openai(SCOPES), 'permission', false],
  ['Spark key', 200, spark(10313), 'auth', true],
  ['Spark tokens', 200, spark(11200), 'quota', true],
  ['Spark day', 200, spark(11201), 'quota', false],
  ['Spark blacklist', 200, spark(10015), 'permission', true],
  ['Spark second question', 200, spark(10007), 'rate_limit', false],
  ['Spark path', 200, spark(10404), 'model_missing', false],
  ['Spark parameter', 200, spark(10163), 'invalid_request', false],
  ['Spark signature', 403, { message: 'HMAC signature does not match' }, 'auth', true],
  [
    'Ollama model',
    404,
    { error: 'model "x" not found, try pulling it first' },
    'model_missing',
    false,
  ],
  ['Ollama cloud key', 401, { error: 'unauthorized' }, 'auth', true],
  ['Azure denial', 401, { error: { code: 'PermissionDenied' } }, 'permission', false],
  ['Moonshot denial', 403, { error: { type: 'permission_denied_error' } }, 'permission', false],
  ['Azure key', 401, { error: { code: '401', message: 'Access denied' } }, 'auth', true],
  ['Azure deployment', 404, { error: { code: 'DeploymentNotFound' } }, 'model_missing', false],
])('%s: %i %j is %s', (_name, status, body, kind, namesKey) => {
  const problem = classifyUpstreamError({ channelSecrets: NOTHING, status, headers: {}, body })
  expect(problem).toMatchObject({ kind, namesKey })
})

const routerSays = (message: string) => ({ error: { code: 404, message } })
const googleSays = (message: string) => ({ error: { code: 404, message, status: 'NOT_FOUND' } })
const anthropicSays = (message: string) => ({
  type: 'error',
  error: { type: 'not_found_error', message },
})

test.each<[string, number, object | string]>([
  ['OpenAI', 404, { error: { code: 'model_not_found', message: 'x' } }],
  ['OpenAI', 404, openai('The model `x` does not exist or you do not have access to it.')],
  ['Ollama', 404, { error: "model 'x' not found" }],
  ['Anthropic', 404, anthropicSays('model: claude-x')],
  ['Google', 404, googleSays('models/x is not found.')],
  ['Vertex', 404, googleSays('Publisher Model `projects/p/models/x` was not found or your …')],
  ['Volcengine', 404, { error: { message: 'The model or endpoint x does not exist or …' } }],
  ['Fireworks', 404, { error: { message: 'Model not found, inaccessible, and/or not deployed' } }],
  [
    'Moonshot',
    404,
    { error: { type: 'resource_not_found_error', message: 'Not found the model x or …' } },
  ],
  ['Azure', 404, { error: { code: 'DeploymentNotFound' } }],
])('%s names the model: %i %j', (_name, status, body) => {
  const problem = classifyUpstreamError({ channelSecrets: NOTHING, status, headers: {}, body })
  expect(problem).toMatchObject({ kind: 'model_missing', namesModel: true, namesKey: false })
})

test.each<[string, number, { error: { message: string } }]>([
  ['OpenAI', 404, openai('This is a chat model and not supported in the v1/completions endpoint.')],
  [
    'OpenAI',
    404,
    openai('This model is only supported in v1/responses and not in v1/chat/completions.'),
  ],
  ['OpenAI', 404, openai("Item with id 'the model `x` does not exist' not found.")],
  ['OpenAI', 403, openai('You are not allowed to generate embeddings from this model')],
  ['Anthropic', 404, anthropicSays('File not found: file_1')],
  [
    'Google',
    404,
    googleSays(
      'models/x is not found for API version v1beta, or is not supported for embedContent.',
    ),
  ],
  ['OpenRouter', 404, routerSays('No endpoints found that support tool use.')],
  ['OpenRouter', 404, routerSays('No endpoints found for x/y.')],
  ['OpenRouter', 404, routerSays('No allowed providers are available for the selected model.')],
])('%s lacks what one request asks for, which the error says: %i %j', (_, status, body) => {
  const problem = classifyUpstreamError({ channelSecrets: NOTHING, status, headers: {}, body })
  expect(problem).toMatchObject({
    kind: 'not_offered',
    namesModel: false,
    namesKey: false,
    isTransient: false,
    status: 404,
    message: body.error.message,
  })
})

test.each<[number, object | string]>([
  [404, ''],
  [404, '<!doctype html><h1>Not Found</h1>'],
  [404, { detail: 'Not Found' }],
  [404, { error: { code: '404', message: 'Resource not found' } }],
  [404, anthropicSays('x')],
  [404, googleSays('Requested entity was not found.')],
  [404, openai('No such thing: The model `x` does not exist')],
  [404, { error: { type: 'resource_not_found_error', message: 'x' } }],
  [405, { detail: 'Method Not Allowed' }],
])('a path may be wrong, so that %i %j does not name the model', (status, body) => {
  const problem = classifyUpstreamError({ channelSecrets: NOTHING, status, headers: {}, body })
  expect(problem).toMatchObject({ kind: 'model_missing', namesModel: false, status: 404 })
})
