/** What opens over a page: `late-overlays.ts` loads it. */
export { Autocomplete, Menu, Popover, Radio, Select } from '@mantine/core'
