import { addTexts } from '../../../i18n/texts.ts'
import { messages } from '../../../i18n/types.ts'

const connectMessages = messages({
  en: {
    page: {
      title: 'Connect {{name}}',
      created: 'Your token is ready. Choose the program that will use it.',
      client: 'Program',
      model: 'Model',
      key: 'Key',
      keyHint: 'The key is hidden here. The copy buttons copy it in full.',
      openIn: 'Open in {{name}}',
      copy: 'Step {{number}}',
      done: 'Done',
    },
    request: {
      waiting: 'Waiting for the first request …',
      received: 'First request received {{ago}}.',
      last: 'Last request {{ago}}.',
    },
    step: {
      run: 'Run this command in a terminal.',
      python: 'Install the library with pip install openai, then run this program.',
      node: 'Install the library with npm install openai, then run this program as a module.',
      addFile: 'Add this to {{file}}.',
      setKey: 'Set the key in the shell, and in its start-up file to keep it.',
      setVariables: 'Set these variables in the shell, and in its start-up file to keep them.',
      start: 'Start {{command}}.',
      variables: 'Set these variables before Open WebUI starts, also in a container.',
      open: 'Open the app. It asks before it adds the address and the key.',
      openWebsite:
        'Open the website. The key is in the address, so its server receives the key as well.',
      address: 'Or enter this API address in the app’s settings.',
      key: 'Enter this key there.',
      model: 'Add this model there and select it.',
      cursorAddress:
        'In Cursor, open Settings, Models, and enter this as “Override OpenAI Base URL”. The address must be reachable from the internet.',
      cursorKey: 'Enter this as the OpenAI API key.',
      cursorModel: 'Add this model to the list and select it.',
      clineCommand: 'Command line: run this command.',
      clineAddress: 'VS Code: choose “OpenAI Compatible” and enter this base URL and the key.',
      clineModel: 'Enter this model ID.',
    },
  },
  zh: {
    page: {
      title: '接入 {{name}}',
      created: '令牌已创建。请选择要使用它的程序。',
      client: '程序',
      model: '模型',
      key: '密钥',
      keyHint: '此处隐藏了密钥，复制按钮会复制完整密钥。',
      openIn: '在 {{name}} 中打开',
      copy: '第 {{number}} 步',
      done: '完成',
    },
    request: {
      waiting: '等待首个请求……',
      received: '{{ago}}收到首个请求。',
      last: '最近一次请求：{{ago}}。',
    },
    step: {
      run: '在终端运行此命令。',
      python: '先执行 pip install openai 安装库，再运行此程序。',
      node: '先执行 npm install openai 安装库，再以模块方式运行此程序。',
      addFile: '将以下内容加入 {{file}}。',
      setKey: '在终端设置密钥；写入启动文件可长期生效。',
      setVariables: '在终端设置这些变量；写入启动文件可长期生效。',
      start: '启动 {{command}}。',
      variables: '在启动 Open WebUI 之前设置这些变量，容器同理。',
      open: '打开应用，应用会在添加地址和密钥前询问。',
      openWebsite: '打开网站。密钥包含在网址中，该网站的服务器也会收到密钥。',
      address: '或在应用设置中填入此 API 地址。',
      key: '并填入此密钥。',
      model: '添加此模型并选中。',
      cursorAddress:
        '在 Cursor 的 Settings → Models 中，将此地址填入“Override OpenAI Base URL”。该地址必须可从公网访问。',
      cursorKey: '将此密钥填入 OpenAI API Key。',
      cursorModel: '将此模型加入列表并选中。',
      clineCommand: '命令行：运行此命令。',
      clineAddress: 'VS Code：选择“OpenAI Compatible”，填入此 Base URL 和密钥。',
      clineModel: '填入此模型 ID。',
    },
  },
})

// Few visits show the panel, so its texts load with it.
addTexts('connect', connectMessages)

declare module '../../../i18n/types.ts' {
  interface MessageTree {
    connect: typeof connectMessages.en
  }
}
