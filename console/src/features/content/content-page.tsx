import { useLocation } from '../../lib/router/router.tsx'
import { LinkedPage } from './linked-page.tsx'
import { TextPage } from './text-page.tsx'

export function ContentPage() {
  const name = useLocation().pathname.replaceAll('/', '')
  switch (name) {
    case 'terms':
    case 'about':
      return <TextPage key={name} name={name} />
    case 'pricing':
    case 'docs':
    case 'cheap':
    case 'chat':
      return <LinkedPage key={name} name={name} />
    default:
      throw new Error(`No content at ${name}`)
  }
}
