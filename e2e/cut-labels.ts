import type { Page } from 'playwright-core'

/** Elements whose text names a choice, an action or a column. */
const LABELS = `select, input[readonly], [role=tab], [aria-pressed],
  button, a, label, legend, th, summary`

/**
 * Labels of the page whose text is cut, without a title that has it whole. Fields draw their text
 * themselves, so that it is measured with their font.
 */
export const cutLabelsOf = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const canvas = document.createElement('canvas').getContext('2d')
    const fieldText = (element) =>
      element instanceof HTMLSelectElement ? (element.selectedOptions[0]?.text ?? '')
      : element.matches('input[readonly]') ? element.value || element.placeholder
      : null
    const isCut = (element) => {
      if (element.clientWidth <= 1 || element.closest('[title], [data-hint], [inert]')) return false
      const style = getComputedStyle(element)
      const text = fieldText(element)
      if (text === null) {
        const isHidden = style.overflowX === 'hidden' || style.overflowX === 'clip'
        return isHidden && element.scrollWidth > element.clientWidth + 1
      }
      canvas.font = [style.fontWeight, style.fontSize, style.fontFamily].join(' ')
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight)
      return canvas.measureText(text).width > element.clientWidth - padding + 1
    }
    const found = [...document.querySelectorAll(${JSON.stringify(LABELS)})].flatMap((label) => {
      if (!label.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      const cut = [label, ...label.querySelectorAll('*')].find(isCut)
      return cut ? [fieldText(cut) ?? cut.textContent.trim()] : []
    })
    return [...new Set(found)]
  })()`)
