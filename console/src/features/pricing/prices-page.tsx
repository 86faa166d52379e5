import { Stack } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PriceFeed } from '@tollgate/contract'
import { SettingFrame } from '../../ui/setting-frame.tsx'
import { ChangesSection } from './changes-section.tsx'
import { FeedsSection } from './feeds-section.tsx'
import { UnpricedSection } from './unpriced-section.tsx'

/** Unpriced models, the feeds, and the changes of the chosen feed. */
export function PricesPage() {
  const { t } = useTranslation()
  const [shown, setShown] = useState<PriceFeed | null>(null)
  return (
    <SettingFrame
      sections={[
        { id: 'unpriced', title: t('pricing.unpriced.title') },
        { id: 'feeds', title: t('pricing.feed.title') },
      ]}
    >
      <Stack gap={40}>
        <UnpricedSection />
        <FeedsSection onShow={setShown} />
        {shown && <ChangesSection key={shown.id} feed={shown} onClose={() => setShown(null)} />}
      </Stack>
    </SettingFrame>
  )
}
