import { useMediaQuery } from '@mantine/hooks'

export const useIsPhone = () =>
  useMediaQuery('(max-width: 599px)', false, { getInitialValueInEffect: false })
