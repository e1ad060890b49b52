;;; A minimal bot for Planning in Common Lisp (SBCL).
;;;
;;; A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
;;; then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

(defvar *strongest* nil)   ; the value that no other beats
(defvar *players* 0)
(defvar *me* 0)
(defvar *hand* '())        ; my cards, such as "TD": the value, then the suit
(defvar *trick* '())       ; the cards on the table

(defun last-char (word) (char word (1- (length word))))

(defun words-of (line)
  (loop with start = 0
        for end = (position-if (lambda (c) (find c '(#\Space #\Tab #\Return))) line :start start)
        for word = (subseq line start end)
        unless (string= word "") collect word
        while end do (setf start (1+ end))))

(defun number-of (word) (parse-integer word))

(defun choose ()
  (or (and *trick* (find (last-char (first *trick*)) *hand* :key #'last-char))
      (first *hand*)
      (error "no card")))

(defun obey (command &rest words)
  "What stands after \"=\" in the reply; an error refuses."
  (flet ((is (name) (string= command name)))
    (cond ((is "set_deck")
           (destructuring-bind (values suits) words
             (declare (ignore suits))
             (setf *strongest* (last-char values)))
           "")
          ((is "set_players")
           (destructuring-bind (n i) (mapcar #'number-of words)
             (setf *players* n *me* i))
           "")
          ((is "set_cards")
           (assert (= (number-of (first words)) (length (rest words))))
           (setf *hand* (rest words) *trick* '())
           "")
          ((is "gen_declare")
           (format nil "~d" (count *strongest* *hand* :key (lambda (card) (char card 0)))))
          ((is "gen_move") (choose))
          ((is "play")
           (destructuring-bind (seat card) words
             (when (= (number-of seat) *me*)
               (setf *hand* (remove card *hand* :test #'string= :count 1)))
             (setf *trick* (append *trick* (list card)))
             (when (>= (length *trick*) *players*)
               (setf *trick* '())))
           "")
          ((find command '("set_game" "time_left" "declare" "quit") :test #'string=) "")
          (t (error "unknown")))))

;; A byte that is no UTF-8 would end the bot.
(defvar *input* (sb-sys:make-fd-stream 0 :external-format :latin-1 :buffering :full))

(loop for line = (read-line *input* nil)
      while line
      for words = (words-of line)
      when words               ; a blank line has no reply
        do (let ((text (handler-case (apply #'obey words) (error () nil))))
             (format t "~a~%~%"
                     (cond ((null text) "? cannot do that")
                           ((string= text "") "=")
                           (t (concatenate 'string "= " text)))))
           (finish-output)     ; without this the reply waits in a buffer
      until (equal (first words) "quit"))
