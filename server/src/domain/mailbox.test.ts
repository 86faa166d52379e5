import { expect, test } from 'vitest'
import { mailboxOf } from './mailbox.ts'

test.each([
  ['farm@gmail.com', 'farm@gmail.com'],
  ['farm+1@gmail.com', 'farm@gmail.com'],
  ['f.a.r.m@gmail.com', 'farm@gmail.com'],
  ['f.arm+x.y@googlemail.com', 'farm@gmail.com'],
  ['farm+1@outlook.com', 'farm@outlook.com'],
  ['f.arm@outlook.com', 'f.arm@outlook.com'],
  ['farm+1@me.com', 'farm@icloud.com'],
  ['f-a_r.m+1@pm.me', 'farm@proton.me'],
  ['farm-shop@yahoo.com', 'farm@yahoo.com'],
  ['fa-rm@ya.ru', 'farm@yandex.com'],
  ['farm+1@example.org', 'farm+1@example.org'],
  ['1234@qq.com', '1234@qq.com'],
  ['', ''],
])('%s belongs to the mailbox %s', (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox)
})
