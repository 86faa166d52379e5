import type { Language } from '@tollgate/contract'

/** Markdown, shown until the operator sets the option Terms. */
export const DEFAULT_TERMS: Readonly<Record<Language, string>> = {
  en: `# Terms and conditions

1. **Service.** This site forwards your requests to the providers of AI models. Their rules of use apply to you as well.
2. **Your account.** Keep your password and your keys to yourself. You are responsible for what is done with them.
3. **Use.** Do nothing that is against the law, that harms others, or that disturbs the service.
4. **Charges.** Requests are charged to your quota by the prices shown. What has been used is not refunded.
5. **Answers.** Models make mistakes. Check what they write before you rely on it.
6. **Data.** Your account and a record of each request (time, model, tokens, cost) are kept to run and bill the service.
7. **Changes.** Prices and these terms may change. An account that breaks them may be closed.
`,
  zh: `# 服务条款

1. **服务内容**：本站将你的请求转发给第三方 AI 模型服务商，你同时须遵守其使用规则。
2. **账户安全**：请妥善保管密码和令牌，使用它们进行的一切操作由你负责。
3. **合理使用**：不得从事违法、损害他人权益或干扰服务运行的行为。
4. **计费**：请求按本站公示的价格从额度中扣除，已消耗的额度不予退还。
5. **模型输出**：模型可能出错，使用其内容前请自行核实。
6. **数据**：为运行和计费，本站会保存你的账户信息以及每次请求的时间、模型、用量和费用。
7. **变更**：价格和本条款可能调整；违反条款的账户可能被停用。
`,
}
