import type { VendorRows } from '../model-card.ts'

export const xiaomiRows: VendorRows = {
  vendor: 'xiaomi',
  models: /^mimo/,
  card: {
    reasoning: { how: 'switch', offMember: 'thinking', isDefault: true },
    // chatboxai/chatbox#3716
    reasoningBack: { policy: 'required_with_calls', placeholder: ' ' },
    // XiaomiMiMo/MiMo-V2-Flash#8, XiaomiMiMo/MiMo#44
    content: { system: 'any', takesNullContent: false, takesResultLists: false },
  },
  rows: [
    {
      family: /^mimo-v2\.[6-9]/,
      source: 'https://github.com/XiaomiMiMo/MiMo',
      card: {
        limits: { context: 1_048_576, outputSetting: 131_072 },
        facts: { input: ['text', 'image', 'audio', 'video'] },
      },
    },
    {
      family: /^mimo-v2/,
      source: 'https://github.com/XiaomiMiMo/MiMo-V2-Flash',
      card: {},
    },
  ],
}
