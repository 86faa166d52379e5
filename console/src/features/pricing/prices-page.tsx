import { Stack } from '@mantine/core'
import { useState } from 'react'
import type { PriceFeed } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { SettingFrame } from '../../ui/setting-frame.tsx'
import '../../ui/margin.messages.ts'
import { ChangesSection } from './changes-section.tsx'
import { FeedsSection } from './feeds-section.tsx'
import { MarginsSection } from './margins-section.tsx'
import { ModelsSection } from './models-section.tsx'
import { UnpricedSection } from './unpriced-section.tsx'

/** Unpriced models, the feeds with the changes of the chosen one, and the margins of models. */
export function PricesPage() {
  const { t } = useTranslation()
  const [shown, setShown] = useState<PriceFeed | null>(null)
  return (
    <SettingFrame
      sections={[
        { id: 'unpriced', title: t('pricing.unpriced.title') },
        { id: 'models', title: t('pricing.model.title') },
        { id: 'feeds', title: t('pricing.feed.title') },
        { id: 'margins', title: t('pricing.margin.title') },
      ]}
    >
      <Stack gap={40}>
        <UnpricedSection />
        <ModelsSection />
        <FeedsSection onShow={setShown} />
        {shown && <ChangesSection key={shown.id} feed={shown} onClose={() => setShown(null)} />}
        <MarginsSection />
      </Stack>
    </SettingFrame>
  )
}
