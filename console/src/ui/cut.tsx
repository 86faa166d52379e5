import classes from './cut.module.css'

/** A text cut to the room it has, whole on hover. */
export function Cut({ text, width = 240 }: { text: string; width?: number }) {
  return (
    <span className={classes['cut']} style={{ maxWidth: width }} title={text}>
      {text}
    </span>
  )
}
