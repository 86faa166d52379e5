const PIXEL = 'data:image/png;base64,iVBORw0KGgo='

const SCHEMA = {
  type: 'object',
  properties: {
    a: { type: 'string', enum: ['x', 'y'], description: 'd.' },
    b: {
      type: 'array',
      items: {
        type: 'object',
        properties: { c: { anyOf: [{ type: 'null' }, { type: ['string', 'null'] }] } },
      },
    },
  },
  required: ['a'],
  additionalProperties: false,
  $defs: { q: { type: 'string' } },
}

/** A request of each dialect with all that it may have, as far as anything here reads it. */
export const SAMPLE_REQUESTS = {
  chat: {
    model: 'gpt-4o',
    stream: true,
    stream_options: { include_usage: false },
    n: 1,
    max_tokens: 50,
    stop: ['a'],
    seed: 1,
    temperature: 0.5,
    top_p: 0.3,
    user: 'u',
    reasoning_effort: 'low',
    thinking: { type: 'enabled', budget_tokens: 2000 },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'n', schema: SCHEMA, strict: true },
    },
    tool_choice: { type: 'function', function: { name: 'f' } },
    parallel_tool_calls: true,
    modalities: ['text'],
    prediction: { type: 'content', content: 'x' },
    tools: [
      {
        type: 'function',
        function: { name: 'f', description: 'what.', parameters: SCHEMA, strict: true },
      },
      {
        type: 'custom',
        custom: {
          name: 'g',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } },
        },
      },
    ],
    messages: [
      { role: 'system', content: 's' },
      { role: 'developer', content: [{ type: 'text', text: 'dev' }] },
      {
        role: 'user',
        name: 'bob',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          {
            type: 'file',
            file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
          },
        ],
      },
      {
        role: 'assistant',
        content: 'calling',
        reasoning_content: 'thinks',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"x"}' } },
          { id: 'c2', type: 'custom', custom: { name: 'g', input: 'z' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'r' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'r' }] },
      {
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'no' }],
        function_call: { name: 'f', arguments: '{}' },
      },
      { role: 'function', name: 'f', content: 'x' },
      { role: 'user', content: 'go' },
    ],
  },
  message: {
    model: 'claude-sonnet-4-5',
    max_tokens: 4000,
    stream: true,
    system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
    stop_sequences: ['x'],
    metadata: { user_id: 'u' },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    tools: [{ name: 'f', description: 'd', input_schema: SCHEMA }],
    temperature: 1,
    top_k: 3,
    output_config: { effort: 'low' },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
            title: 't',
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'tool_use', id: 't1', name: 'f', input: { a: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [
              { type: 'text', text: 'r' },
              { type: 'image', source: { type: 'url', url: 'https://x/y.png' } },
            ],
          },
          { type: 'text', text: 'go' },
        ],
      },
      { role: 'assistant', content: 'begin' },
    ],
  },
  contents: {
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'hi' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { fileData: { mimeType: 'video/mp4', fileUri: 'https://x' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'th', thought: true, thoughtSignature: 's' },
          { functionCall: { id: 'c', name: 'f', args: { a: 1 } } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: { r: 1 } } }] },
    ],
    systemInstruction: { parts: [{ text: 's' }] },
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', enum: ['x'] } } },
            parametersJsonSchema: SCHEMA,
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    safetySettings: [{ category: 'HARM', threshold: 'BLOCK_NONE' }],
    generationConfig: {
      stopSequences: ['x'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT' },
      maxOutputTokens: 100,
      candidateCount: 1,
      temperature: 1,
      topP: 1,
      topK: 3,
      seed: 3,
      thinkingConfig: { thinkingBudget: 100, includeThoughts: true, thinkingLevel: 'low' },
      responseModalities: ['TEXT'],
    },
    serviceTier: 'x',
    cachedContent: 'x',
  },
  response: {
    model: 'gpt-5',
    stream: true,
    instructions: 'i',
    max_output_tokens: 100,
    reasoning: { effort: 'low', summary: 'auto' },
    text: {
      format: { type: 'json_schema', name: 'n', schema: SCHEMA, strict: true },
      verbosity: 'low',
    },
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: SCHEMA, strict: true },
      { type: 'custom', name: 'g', format: { type: 'text' } },
    ],
    tool_choice: { type: 'function', name: 'f' },
    include: ['reasoning.encrypted_content'],
    store: false,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    truncation: 'auto',
    service_tier: 'auto',
    prompt_cache_key: 'k',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi' },
          { type: 'input_image', image_url: PIXEL, detail: 'low' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA', filename: 'x.pdf' },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 't' }],
        encrypted_content: 'x',
      },
      {
        type: 'message',
        role: 'assistant',
        id: 'm',
        status: 'completed',
        content: [
          { type: 'output_text', text: 'a', annotations: [] },
          { type: 'refusal', refusal: 'r' },
        ],
      },
      { type: 'function_call', id: 'fc', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'x' }] },
      { type: 'custom_tool_call', id: 'ct', call_id: 'c2', name: 'g', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'y' },
      { type: 'image_generation_call', id: 'ig', result: 'AAAA', status: 'completed' },
      { role: 'user', content: 'go' },
    ],
  },
  completion: {
    model: 'gpt-4',
    prompt: ['a', [1, 2]],
    max_tokens: 4,
    echo: true,
    best_of: 2,
    suffix: 's',
    logprobs: 1,
  },
  embedding: {
    model: 'text-embedding-3-small',
    input: ['a', [1]],
    title: 't',
    dimensions: 3,
    encoding_format: 'float',
  },
}
