import classes from './truncated-text.module.css'

type Props = {
  text: string
  /** Maximum width in pixels; `screenShare` caps the width in percent of the viewport. */
  width?: number
  screenShare?: number
  /** Its column keeps more room than those of other texts. */
  isMain?: boolean
}

/** In a table, columns with such texts share the room that the other columns leave. */
export function TruncatedText({ text, width = 240, screenShare = 100, isMain }: Props) {
  return (
    <span
      className={classes['cut']}
      style={{ maxWidth: `min(${width}px, ${screenShare}vw)` }}
      data-main={isMain || undefined}
      title={text}
    >
      {text}
    </span>
  )
}
