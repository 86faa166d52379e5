import { Button, Text } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import type { Status, TopUpPackages } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useSession } from '../../lib/session.ts'
import { newTransactionId, runningPromotion, shopAddress } from './shop.ts'
import classes from './top-up.module.css'

type Package = TopUpPackages['packages'][number]

/** Packages in the shop, or other sources of codes if there is no shop. */
export function Packages({ status }: { status: Status }) {
  const { t } = useTranslation()
  const { top_up_packages, top_up_link, links } = status
  const shop = links['shop'] ?? ''
  const { packages } = top_up_packages
  const isSold = packages.some(({ link = shop }) => link !== '')
  // Without a place to buy it, a price would be a card that does nothing.
  const isShown = packages.length > 0 && (isSold || top_up_link !== '')
  return (
    <>
      <Text c="dimmed" mb="sm">
        {isSold && t('topup.shop.hint')}
        {!isSold && t(top_up_link === '' ? 'topup.shop.noShop' : 'topup.shop.hintHere')}
      </Text>
      {isShown && <Promotion packages={top_up_packages} />}
      {top_up_link !== '' && <BuyHere topUpLink={top_up_link} />}
      {packages.length === 0 && top_up_link === '' && <Text>{t('topup.shop.noPackages')}</Text>}
      {isShown && (
        <ul className={classes['cards']}>
          {packages.map((item) => (
            <PackageCard key={`${item.usd} ${item.cny}`} item={item} shop={shop} />
          ))}
        </ul>
      )}
    </>
  )
}

function Promotion({ packages }: { packages: TopUpPackages }) {
  const { t, language } = useTranslation()
  const promotion = runningPromotion(packages, Math.floor(nowSeconds()))
  if (!promotion) return null
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long' })
  return (
    <p className={classes['promotion']}>
      {t('topup.shop.promotion', {
        off: 100 - promotion.percent,
        fold: promotion.percent / 10,
        from: day.format(promotion.from * 1000),
        until: day.format(promotion.until * 1000),
      })}
    </p>
  )
}

/** External shop that credits this account directly. Every visit has its own transaction id. */
function BuyHere({ topUpLink }: { topUpLink: string }) {
  const { t } = useTranslation()
  const user = useSession()
  const [transactionId, setTransactionId] = useState(newTransactionId)
  const address = user && shopAddress(topUpLink, user, transactionId)
  if (!address) return null
  return (
    <Button
      component="a"
      variant="default"
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      mb="md"
      rightSection={<ExternalLink size={14} aria-hidden />}
      onClick={() => setTimeout(() => setTransactionId(newTransactionId()))}
    >
      {t('topup.shop.buyHere')}
    </Button>
  )
}

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 0,
})
const yuan = new Intl.NumberFormat('zh-CN', {
  style: 'currency',
  currency: 'CNY',
  minimumFractionDigits: 0,
})

function PackageCard({ item, shop }: { item: Package; shop: string }) {
  const { t } = useTranslation()
  const address = item.link || shop
  const usd = dollars.format(item.usd)
  const cny = yuan.format(item.cny)
  return (
    <li className={classes['card']}>
      <span className={classes['cardTitle']}>{t('topup.shop.packageTitle', { usd })}</span>
      <span className={classes['price']}>{cny}</span>
      {address !== '' && (
        <Button
          component="a"
          variant="default"
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('topup.shop.buyNamed', { usd, cny })}
          rightSection={<ExternalLink size={14} aria-hidden />}
        >
          {t('topup.shop.buy')}
        </Button>
      )}
    </li>
  )
}
