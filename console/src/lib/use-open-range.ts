import { useState } from 'react'

/**
 * Whether the fields of a custom range are open. They open before the address has such a range, and
 * follow it when the reader goes back.
 */
export function useOpenRange(range: string): [boolean, (isOpen: boolean) => void] {
  const [known, setKnown] = useState(range)
  const [isOpen, setIsOpen] = useState(range === 'custom')
  if (known !== range) {
    setKnown(range)
    setIsOpen(range === 'custom')
  }
  return [isOpen, setIsOpen]
}
