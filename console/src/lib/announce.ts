const CLASS = 'announcement'

/** Screen readers miss a text that appears together with its region. */
const REGION_READY_MS = 100

/** Lets screen readers say what has appeared without moving the focus. */
export function announce(text: string) {
  const region = document.querySelector(`.${CLASS}`) ?? addRegion()
  region.textContent = ''
  setTimeout(() => (region.textContent = text), REGION_READY_MS)
}

function addRegion(): Element {
  const region = document.createElement('div')
  region.className = CLASS
  region.setAttribute('role', 'status')
  document.body.append(region)
  return region
}
