import { useMediaQuery } from '@mantine/hooks'

/** Whether the main menu is a sheet; layout.module.css has the width too. */
export const useIsNarrow = () =>
  useMediaQuery('(max-width: 899px)', false, { getInitialValueInEffect: false })
