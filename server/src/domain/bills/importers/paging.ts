import { z } from 'zod'

/** How OpenAI and Anthropic say that an answer has more pages. */
export const MORE = { has_more: z.boolean(), next_page: z.string().nullish() }

type More = { has_more: boolean; next_page?: string | null | undefined }

/** An answer that promises more without saying where would be cut off silently. */
export const namesNext = ({ has_more, next_page }: More) => !has_more || Boolean(next_page)

export const nextOf = ({ has_more, next_page }: More) => (has_more ? (next_page ?? null) : null)
