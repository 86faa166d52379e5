import classes from './truncated-text.module.css'

type Props = {
  text: string
  /** In pixels, and on small screens at most so many hundredths of them. */
  width?: number
  screenShare?: number
}

/** A text cut to the room it has, whole on hover. */
export function Cut({ text, width = 240, screenShare = 100 }: Props) {
  const maxWidth = `min(${width}px, ${screenShare}vw)`
  return (
    <span className={classes['cut']} style={{ maxWidth }} title={text}>
      {text}
    </span>
  )
}
