import { ActionIcon } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './data-table.module.css'

type Props = {
  name: string
  cells: { id: string; content: ReactNode; isNumber: boolean }[]
  isActive: boolean
  opensOnClick: boolean
  columnCount: number
  menu: ReactNode
  isOpen: boolean
  detail: ReactNode
  onToggle?: () => void
}

export function TableRow(props: Props) {
  const { name, cells, isActive, opensOnClick, columnCount, menu, isOpen, detail, onToggle } = props
  const { t } = useTranslation()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <tr
        data-row
        data-clickable={opensOnClick || undefined}
        data-open={isOpen || undefined}
        tabIndex={isActive ? 0 : -1}
      >
        {cells.map(({ id, content, isNumber }) => (
          <td key={id} data-align={isNumber ? 'right' : undefined}>
            {content}
          </td>
        ))}
        {(menu || onToggle) && (
          <td className={classes['menu']}>
            {onToggle && (
              <ActionIcon
                size={28}
                onClick={onToggle}
                aria-expanded={isOpen}
                aria-label={t('common.table.open', { name })}
              >
                <Chevron size={16} aria-hidden />
              </ActionIcon>
            )}
            {menu}
          </td>
        )}
      </tr>
      {isOpen && (
        <tr className={classes['detail']}>
          <td colSpan={columnCount}>{detail}</td>
        </tr>
      )}
    </>
  )
}
