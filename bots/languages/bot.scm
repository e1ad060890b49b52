;;; A minimal bot for Planning in Scheme (Guile 3).
;;;
;;; A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
;;; then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

(use-modules (ice-9 match) (ice-9 rdelim) (srfi srfi-1))

(define strongest #f)   ; the value that no other beats
(define players 0)
(define me 0)
(define hand '())       ; my cards, such as "TD": the value, then the suit
(define trick '())      ; the cards on the table

(define (last-char word) (string-ref word (1- (string-length word))))

(define (choose)
  (define (follows? card) (and (pair? trick) (char=? (last-char card) (last-char (first trick)))))
  (or (find follows? hand) (and (pair? hand) (first hand))))

;; What stands after "=" in the reply; #f refuses.
(define (obey words)
  (match words
    (("set_deck" values _) (set! strongest (last-char values)) "")
    (("set_players" (= string->number (? integer? n)) (= string->number (? integer? i)))
     (set! players n)
     (set! me i)
     "")
    (("set_cards" count cards ...)
     (and (eqv? (string->number count) (length cards))
          (begin (set! hand cards) (set! trick '()) "")))
    (("gen_declare")
     (number->string (count (lambda (card) (eqv? (string-ref card 0) strongest)) hand)))
    (("gen_move") (choose))
    (("play" (= string->number (? integer? seat)) card)
     (when (= seat me) (set! hand (delete card hand)))
     (set! trick (append trick (list card)))
     (when (>= (length trick) players) (set! trick '()))
     "")
    (((or "set_game" "time_left" "declare" "quit") _ ...) "")
    (_ #f)))

(set-port-encoding! (current-input-port) "ISO-8859-1")   ; a byte that is no UTF-8 would end the bot

(let next ()
  (define line (read-line))
  (unless (eof-object? line)
    (let ((words (string-tokenize line)))
      (unless (null? words)             ; a blank line has no reply
        (let ((text (obey words)))
          (display (cond ((not text) "? cannot do that") ((string-null? text) "=") (else (string-append "= " text))))
          (display "\n\n")
          (force-output)))              ; without this the reply waits in a buffer
      (unless (equal? words '("quit")) (next)))))
