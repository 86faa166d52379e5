import { createTheme, type CSSVariablesResolver } from '@mantine/core'
import type { MouseEvent } from 'react'
import { PALETTE } from './palette.ts'

const RADIUS = '4px'
const MOTION = { duration: 120 }
/** Tooltip delays in milliseconds. */
export const HOVER = { openDelay: 50, closeDelay: 70 }

/** Scrollable option list without a scroll wrapper, which the keyboard cannot reach. */
const PLAIN_LIST = {
  withScrollArea: false,
  styles: { options: { maxHeight: 240, overflowY: 'auto' } },
}

/**
 * The first click into a list that can be searched selects the name of the current choice, so that
 * typing searches instead of extending that name.
 */
const SEARCHED_BY_TYPING = {
  onMouseDown: ({ currentTarget: field }: MouseEvent<HTMLInputElement>) => {
    if (document.activeElement === field) return
    field.addEventListener('click', () => field.select(), { once: true })
  },
}

const SANS =
  'system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif'

export const theme = createTheme({
  colors: PALETTE,
  primaryColor: 'accent',
  primaryShade: 7,
  white: '#ffffff',
  black: '#181b1d',
  fontFamily: SANS,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: RADIUS, sm: RADIUS, md: RADIUS, lg: RADIUS, xl: RADIUS },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Plain objects, because importing the components would add all of them to the first bundle.
  components: {
    Button: { defaultProps: { size: 'sm' }, styles: { label: { fontWeight: 400 } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    InputWrapper: {
      defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
    },
    Select: { defaultProps: { ...PLAIN_LIST, ...SEARCHED_BY_TYPING } },
    MultiSelect: { defaultProps: PLAIN_LIST },
    TagsInput: { defaultProps: PLAIN_LIST },
    Pill: { defaultProps: { radius: 'sm' } },
    Portal: { defaultProps: { target: '#overlays' } },
    Menu: {
      defaultProps: {
        ...HOVER,
        shadow: 'sm',
        transitionProps: MOTION,
        position: 'bottom-end',
        returnFocus: true,
        withInitialFocusPlaceholder: false,
      },
    },
    Popover: { defaultProps: { shadow: 'sm', transitionProps: MOTION } },
    Modal: {
      defaultProps: { shadow: 'md', transitionProps: MOTION, centered: true },
      styles: { title: { fontWeight: 600 } },
    },
  },
})

/** Text and line colors that keep their contrast on our neutral scale. */
export const cssVariables: CSSVariablesResolver = (current) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': current.colors['gray']?.[6] ?? '',
    '--mantine-color-placeholder': current.colors['gray']?.[6] ?? '',
    '--mantine-color-error': current.colors['red']?.[7] ?? '',
    '--mantine-color-anchor': current.colors['accent']?.[8] ?? '',
    '--mantine-color-default-border': current.colors['gray']?.[3] ?? '',
    '--tollgate-line': current.colors['gray']?.[2] ?? '',
    '--tollgate-head': current.colors['gray']?.[1] ?? '',
    '--tollgate-hover': current.colors['gray']?.[1] ?? '',
    '--tollgate-hint': current.colors['gray']?.[9] ?? '',
    '--tollgate-good': current.colors['green']?.[7] ?? '',
    '--tollgate-slow': current.colors['yellow']?.[7] ?? '',
    '--tollgate-olive': current.colors['olive']?.[7] ?? '',
    '--tollgate-bad': current.colors['red']?.[7] ?? '',
    '--tollgate-off': current.colors['gray']?.[6] ?? '',
  },
  dark: {
    '--mantine-color-dimmed': current.colors['dark']?.[2] ?? '',
    '--mantine-color-placeholder': current.colors['dark']?.[2] ?? '',
    '--mantine-color-error': current.colors['red']?.[3] ?? '',
    '--mantine-color-anchor': current.colors['accent']?.[3] ?? '',
    '--mantine-color-default-border': current.colors['dark']?.[4] ?? '',
    '--tollgate-line': current.colors['dark']?.[5] ?? '',
    '--tollgate-head': current.colors['dark']?.[6] ?? '',
    '--tollgate-hover': current.colors['dark']?.[6] ?? '',
    '--tollgate-hint': current.colors['gray']?.[2] ?? '',
    '--tollgate-good': current.colors['green']?.[3] ?? '',
    '--tollgate-slow': current.colors['yellow']?.[3] ?? '',
    '--tollgate-olive': current.colors['olive']?.[3] ?? '',
    '--tollgate-bad': current.colors['red']?.[3] ?? '',
    '--tollgate-off': current.colors['dark']?.[2] ?? '',
  },
})
