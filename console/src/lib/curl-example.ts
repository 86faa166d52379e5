export function curlExample(serverAddress: string, key: string, model = 'gpt-6-luna'): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  return [
    `curl ${serverAddress}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join('\n')
}
