import classes from './truncated-text.module.css'

type Props = {
  text: string
  /** Maximum width in pixels; `screenShare` caps the width in percent of the viewport. */
  width?: number
  screenShare?: number
}

/** In a table, columns with such texts share the room that the other columns leave. */
export function TruncatedText({ text, width = 240, screenShare = 100 }: Props) {
  return (
    <span
      className={classes['cut']}
      style={{ maxWidth: `min(${width}px, ${screenShare}vw)` }}
      title={text}
    >
      {text}
    </span>
  )
}
