/**
 * What every refusal under /api looks like; business errors are HTTP 200 with `success: false`. Of a failed channel
 * test clients read further fields beside these.
 */
export type Failure = { success: false; message: string }
