import classes from './truncated-text.module.css'

type Props = {
  text: string
  /** Maximum width in pixels; `screenShare` caps the width in percent of the viewport. */
  width?: number
  screenShare?: number
  /** Caps the width in percent of a table that is wide enough to show all its columns. */
  tableShare?: number
}

export function TruncatedText({ text, width = 240, screenShare = 100, tableShare }: Props) {
  const room =
    tableShare === undefined ? `${screenShare}vw` : `max(${tableShare}cqi, 1100px - 100cqi)`
  const maxWidth = `min(${width}px, ${room})`
  return (
    <span className={classes['cut']} style={{ maxWidth }} title={text}>
      {text}
    </span>
  )
}
