import { CloseButton } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { PlainDialog } from '../../ui/plain-dialog.tsx'
import { PALETTE_KEYS, SAVE_KEYS } from '../shortcut.ts'
import { useNavItems } from '../use-nav-items.ts'
import './messages.ts'
import classes from './palette.module.css'

const PARTS = [
  {
    title: 'palette.keys.anywhere',
    rows: [
      ['palette.keys.palette', PALETTE_KEYS],
      ['palette.keys.search', '/'],
      ['palette.keys.shortcuts', '?'],
      ['palette.keys.toasts', 'F6'],
      ['palette.keys.close', 'Esc'],
    ],
  },
  { title: 'palette.keys.forms', rows: [['palette.keys.save', SAVE_KEYS]] },
  {
    title: 'palette.keys.tables',
    rows: [
      ['palette.keys.move', '↓ ↑', 'j k'],
      ['palette.keys.ends', 'Home End'],
      ['palette.keys.open', '↵'],
      ['palette.keys.select', 'Space', 'x'],
      ['palette.keys.menu', '.'],
    ],
  },
] as const

export function ShortcutList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const pages = useNavItems().filter(({ key }) => key !== undefined)
  return (
    <PlainDialog label={t('palette.action.shortcuts')} onClose={onClose}>
      {(close) => (
        <div className={classes['shortcuts']}>
          <div className={classes['head']}>
            <h2>{t('palette.action.shortcuts')}</h2>
            <CloseButton aria-label={t('common.action.close')} onClick={close} />
          </div>
          {pages.length > 0 && (
            <section>
              <h3>{t('palette.keys.pages')}</h3>
              <dl>
                {pages.map(({ path, label, key }) => (
                  <div key={path} className={classes['row']}>
                    <dt>{t(label)}</dt>
                    <dd>
                      <kbd className={classes['key']}>{`g ${key}`}</kbd>
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )}
          {PARTS.map(({ title, rows }) => (
            <section key={title}>
              <h3>{t(title)}</h3>
              <dl>
                {rows.map(([label, keys, others]) => (
                  <div key={label} className={classes['row']}>
                    <dt>{t(label)}</dt>
                    <dd>
                      <kbd className={classes['key']}>{keys}</kbd>
                      {others !== undefined && (
                        <>
                          {t('palette.keys.or')}
                          <kbd className={classes['key']}>{others}</kbd>
                        </>
                      )}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      )}
    </PlainDialog>
  )
}
