/** What every refusal under /api looks like; business errors are HTTP 200 with `success: false`. */
export type Failure = { success: false; message: string }
