import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'
import { type CodeForm, codeOf, formsOf } from '../lib/snippets/code.ts'
import { Choice } from './choice.tsx'
import './code-choice.messages.ts'
import classes from './code-choice.module.css'
import { Copyable } from './copyable.tsx'

const NAMES: Readonly<Record<CodeForm, string>> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node.js',
  go: 'Go',
  json: 'JSON',
}

/** Millions of characters of a file would stall the page. They are copied in full. */
const LONG_DATA = /(base64,[\w+/=]{40})[\w+/=]+/g

type Props = { request: Parameters<typeof codeOf>[1] }

/** A request as code, in the form that the reader chooses. */
export function CodeChoice({ request }: Props) {
  const { t } = useTranslation()
  const [form, setForm] = useState<CodeForm>('curl')
  const code = codeOf(form, request)
  return (
    <div className={classes['code']}>
      <Choice
        label={t('code.choice.label')}
        options={formsOf(request.path).map((value) => ({ value, label: NAMES[value] }))}
        value={form}
        onChange={setForm}
      />
      <Copyable block label={NAMES[form]} text={code} shown={code.replace(LONG_DATA, '$1…')} />
    </div>
  )
}
