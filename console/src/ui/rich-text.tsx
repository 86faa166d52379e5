import { useEffect, useRef } from 'react'
import classes from './rich-text.module.css'

type Props = { source: string; toFragment: (source: string) => Promise<DocumentFragment> }

/** Renders the output of `toFragment`, which must be sanitized. */
export function RichText({ source, toFragment }: Props) {
  const holder = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isCurrent = true
    void toFragment(source).then((fragment) => {
      if (isCurrent) holder.current?.replaceChildren(fragment)
    })
    return () => {
      isCurrent = false
    }
  }, [source, toFragment])
  return <div ref={holder} className={classes['text']} />
}
